export { fileBlock } from "./file-block.js";
export { toolResultContent } from "./tool-result-content.js";
export { type TranslatedPrompt, translatePrompt } from "./translate-prompt.js";
export { userBlocks } from "./user-blocks.js";
