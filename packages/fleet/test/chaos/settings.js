import { readFileSync, writeFileSync } from "node:fs";

/**
 * What all programs of a chaos run are told.
 * @typedef {{ databaseUrl: string, modelUrl: string, seed: number, slots: number }} Settings
 */

/** @returns {Settings} */
export function readSettings(place) {
  return JSON.parse(readFileSync(place.settings, "utf8"));
}

/** @param {Settings} settings */
export function writeSettings(place, settings) {
  writeFileSync(place.settings, JSON.stringify(settings));
}
