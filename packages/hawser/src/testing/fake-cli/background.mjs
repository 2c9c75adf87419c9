// A background task. When it has ended, the CLI starts a turn by itself.
import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { print } from "./output.mjs";
import { enqueue, expectLater, turn } from "./turn.mjs";

const running = new Map();

export async function startTask(
  { description = "a task", ms = 0, status = "completed", next = "ok" },
  runTurn,
) {
  const task_id = `b${randomUUID().slice(0, 8)}`;
  const task = { task_id, task_type: "local_bash", description };
  running.set(task_id, task);
  await tellTasks();
  await print({ type: "system", subtype: "task_started", ...task, is_backgrounded: true });
  expectLater(sleep(ms).then(() => enqueue({}, () => finish(task, status, () => runTurn(next)))));
}

async function finish({ task_id, description }, status, runTurn) {
  running.delete(task_id);
  const patch = { status, end_time: Date.now() };
  const summary = `Background command "${description}" ${status}`;
  await print({ type: "system", subtype: "task_updated", task_id, patch });
  await print({ type: "system", subtype: "task_notification", task_id, status, summary });
  await tellTasks();
  turn.origin = { kind: "task-notification", producer: "session-task" };
  await runTurn();
}

function tellTasks() {
  const tasks = [...running.values()];
  return print({ type: "system", subtype: "background_tasks_changed", tasks });
}
