// A program with one call. Arguments: the name of the provider, and its settings as JSON.
import { generateText } from "ai";
import { SIDES } from "./sides.js";

const [name, json] = process.argv.slice(2);
const { agent, ...place } = JSON.parse(json);
const side = await SIDES[name].open(place);
const model = agent === undefined ? side.model() : side.agent(agent);
await generateText({ model, prompt: "Name a knot." });
await side.close();
