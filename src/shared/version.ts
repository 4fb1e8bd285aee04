/** The version of this library, as in package.json. */
export const VERSION = '0.1.0';
