// Setup for tests that call the APIs.
import { afterEach, expect } from "vitest";
import { ANSWER_PROBLEMS } from "./seen-answers.ts";

afterEach(() => expect(ANSWER_PROBLEMS.splice(0), "answers that are not as documented").toEqual([]));
