export type { HookRegistration, InitializeRequest } from "./initialize.js";
