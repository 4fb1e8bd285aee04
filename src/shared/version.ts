/** The version of this package: recordings say which one wrote them. */
export const VERSION = '0.1.0';
