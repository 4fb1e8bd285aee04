/*
 * Systems that allocate, each in its own way. Plain JavaScript that no tool rewrites, so that the
 * engine sees the lines of this file.
 */

/** What they keep, so that the engine cannot optimise it away. */
exports.kept = undefined;

exports.makesArray = function makesArray() {
  exports.kept = Array(10);
};

exports.makesLiteral = function makesLiteral(tick) {
  exports.kept = { tick };
};

exports.makesClosure = function makesClosure(tick) {
  exports.kept = () => tick;
};

exports.boxesDouble = function boxesDouble(tick) {
  exports.kept = tick + 0.5;
};

exports.callsBuiltin = function callsBuiltin() {
  exports.kept = [1, 2].map(String);
};
