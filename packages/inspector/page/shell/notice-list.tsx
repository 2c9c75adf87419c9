import type { JSX } from "preact";
import { dismiss, notices } from "../state/notices.js";

/** What has just happened, read aloud by a screen reader. */
export function NoticeList(): JSX.Element {
  return (
    <div class="notices" role="status" aria-live="polite">
      {notices.value.map(({ id, tone, text }) => (
        <div key={id} class={`notice notice-${tone}`}>
          <p>{text}</p>
          <button
            type="button"
            class="link"
            onClick={() => dismiss(id)}
            aria-label="Close the message"
          >
            ×
          </button>
        </div>
      ))}
    </div>
  );
}
