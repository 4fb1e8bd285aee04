import {
  createLossyLink,
  definePipeline,
  Snapshot,
  Technique,
  TickSource,
  UpdateOutput,
  UpdateReceiver,
  UpdateSender,
} from 'escapement/net';

// The same at both ends:
const pipeline = definePipeline({ techniques: Technique.Delta | Technique.DeltaFieldMask });

// The server. A tick and an output serve all clients, a sender serves one:
const tick = new TickSource(pipeline.shape);
const output = new UpdateOutput(pipeline);
const sender = new UpdateSender(output);
const population = new Snapshot(pipeline.shape, 1);
population.ids[0] = 7;
population.count = 1;
const [classification, position, heading] = population.columns;
classification?.values.set([1]);
heading?.values.set([0, 0, 1]);

// The client:
const receiver = new UpdateReceiver(pipeline);
const message = new Uint8Array(16);

// What is between them; three in ten packets are lost:
const link = createLossyLink({ seed: 1, conditions: { loss: 0.3, delayMs: 40 } });

let shown: Snapshot | undefined;
const show = (replica: Snapshot | undefined): void => {
  shown = replica;
};

for (let nowMs = 0; nowMs < 2000; nowMs += 50) {
  link.advanceTo(nowMs);
  link.a.receive((bytes) => sender.acceptMessage(bytes, nowMs));
  population.tick = nowMs / 50;
  position?.values.set([Math.min(nowMs, 1500) / 1000, 0, 0]);
  tick.load(population);
  if (sender.prepare(tick, nowMs) === 'prepared') {
    for (let i = 0; i < sender.packetCount; i++) link.a.send(sender.packetAt(i));
    sender.commit(nowMs);
  }
  link.b.receive((packet) => {
    const outcome = receiver.acceptPacket(packet, nowMs);
    if (outcome === 'applied') show(receiver.newest);
  });
  for (;;) {
    const length = receiver.takeMessage(message);
    if (length === 0) break;
    link.b.send(message.subarray(0, length));
  }
}
export { shown };
