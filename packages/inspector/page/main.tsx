import "@preact/signals";
import { render } from "preact";
import { Api, problemOf } from "./net/api.js";
import { canProve } from "./net/prove-server.js";
import { followAddress, takeToken } from "./net/token.js";
import { App } from "./shell/app.js";
import { notify } from "./state/notices.js";
import { PageState } from "./state/page-state.js";
import { PageContext } from "./state/use-page.js";
import { Watch } from "./state/watch.js";

followAddress((error) => notify("bad", problemOf(error)));
if (!canProve) {
  notify(
    "bad",
    "This page came over plain HTTP from another machine. Others on the way can read your token. Use HTTPS, or a tunnel to this machine.",
  );
}
const state = new PageState(new Api(takeToken()));
void new Watch(state).run();

const root = document.getElementById("root");
if (root !== null) {
  render(
    <PageContext.Provider value={state}>
      <App />
    </PageContext.Provider>,
    root,
  );
}
