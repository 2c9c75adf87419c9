export { isBlock } from "./content.js";
export { decodeLine } from "./decode.js";
export { encodeLine } from "./encode.js";
export { LineFramer } from "./line-framer.js";
export { isMessage, isResult, isSystem } from "./message.js";
export { controlFailure, controlRequest, controlSuccess, userLine } from "./outbound.js";
export type * from "./public.js";
