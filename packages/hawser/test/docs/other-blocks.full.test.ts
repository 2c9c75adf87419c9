import { describePrograms, isRepresentative, PROGRAMS } from "./programs.helper.js";

describePrograms(
  "each other program on the pages",
  PROGRAMS.filter((block) => !isRepresentative(block)),
);
