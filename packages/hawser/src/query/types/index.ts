// The types of the official SDK that no other layer has; src/index.ts lists them by name.
export type * from "./api/block.js";
export type * from "./api/message.js";
export type * from "./api/param.js";
export type * from "./context.js";
export type * from "./control.js";
export type * from "./control-request.js";
export type * from "./message.js";
export type * from "./option.js";
export type * from "./query.js";
export type * from "./result.js";
export type * from "./settings.js";
export type * from "./transport.js";
export type * from "./user.js";
