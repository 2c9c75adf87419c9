export * as fc from "./fast-check.js";
