/** The version of this package. A test compares it with package.json. */
export const HAWSER_VERSION = "0.2.0";
