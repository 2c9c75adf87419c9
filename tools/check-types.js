// Checks the types of all packages, of their tests, and of the programs in JavaScript.
import { compile } from "./compiler.js";

const PROJECTS = [
  "tsconfig.packages.json",
  "packages/inspector/page",
  "packages/inspector/test/page",
  "tsconfig.programs.json",
];

for (const project of PROJECTS) compile("--noEmit", "-p", project);
