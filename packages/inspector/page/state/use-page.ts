import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { PageState } from "./page-state.js";

export const PageContext = createContext<PageState | undefined>(undefined);

/** What the page knows. The part that calls this is drawn again when something has changed. */
export function usePage(): PageState {
  const page = useContext(PageContext);
  if (page === undefined) throw new Error("The part is outside of the page.");
  page.version.value;
  return page;
}
