export type { ContentOptions } from "./content/content.js";
export { type InstrumentOptions, instrument } from "./instrument.js";
