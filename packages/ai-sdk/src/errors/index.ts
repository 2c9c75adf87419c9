export { type FailedCall, toAiSdkError } from "./to-ai-sdk-error.js";
