export { faultReporter, type ReportFault } from "./callback-fault.js";
export { ERROR_CODES, type ErrorCode, type ErrorRow } from "./codes.js";
export { type ErrorFacts, HawserError, type Issue, isHawserError, type Phase } from "./error.js";
export { guardLogger, type Logger, SILENT } from "./logger.js";
export {
  createMask,
  type Environment,
  hostMask,
  type Mask,
  maskDeep,
} from "./mask.js";
export { scarcityHint } from "./scarcity.js";
export {
  holdsHeaders,
  isHarmlessHeader,
  looksSecret,
  secretsInArguments,
  secretsInHeaders,
  secretsInUrl,
} from "./secret-names.js";
export { textOf } from "./text-of.js";
export { openTrace, type Trace, type TraceKind } from "./trace.js";
export { HAWSER_VERSION } from "./version.js";
export { warnOnce } from "./warn.js";
