export { archiveSession, unarchiveSession } from "./change/archive-session.js";
export { deleteSession, renameSession, tagSession } from "./change/change-session.js";
export { forkSession } from "./change/fork-session.js";
export { getSessionInfo, listSessions } from "./list/list-sessions.js";
export { getSessionMessages } from "./messages/session-messages.js";
export { getSubagentMessages, listSubagents } from "./messages/subagents.js";
export { importSessionToStore } from "./store/import-session-to-store.js";
export { materializeSession } from "./store/materialize-session.js";
export { StoreMirror } from "./store/store-mirror.js";
