export { type Inspector, type InspectorOptions, inspector } from "./inspector.js";
