// Set-up of every worker test: a body that held an internal id of the network fails the test in which it was sent.
import { afterEach, expect } from "vitest";
import { takeLeaks } from "../worker/support/bodies.ts";

afterEach(() => expect(takeLeaks(), "internal ids in webhook bodies").toEqual([]));
