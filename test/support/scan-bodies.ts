// Setup for every worker test. A webhook body that is not a documented event, or contains an internal network id, fails the test that sent
// it.
import { afterEach, expect } from "vitest";
import { BODY_PROBLEMS } from "../worker/support/body-problems.ts";

afterEach(() => expect(BODY_PROBLEMS.splice(0), "problems of webhook bodies").toEqual([]));
