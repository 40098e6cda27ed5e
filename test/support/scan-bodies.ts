// Set-up of every worker test: a webhook body that was no documented event, or held an internal id of the network, fails the test in which
// it was sent.
import { afterEach, expect } from "vitest";
import { BODY_PROBLEMS } from "../worker/support/body-problems.ts";

afterEach(() => expect(BODY_PROBLEMS.splice(0), "problems of webhook bodies").toEqual([]));
