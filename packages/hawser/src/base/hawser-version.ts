/** This package's own version; a test holds it to package.json. */
export const HAWSER_VERSION = "0.2.0";
