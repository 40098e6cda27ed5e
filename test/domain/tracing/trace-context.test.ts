// `traceparent` values from arbitrary clients.
import { describe, expect, it } from "vitest";
import { formatTraceparent, parseTraceparent } from "@gateway/tracing/span.ts";

const TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
const SPAN = "00f067aa0ba902b7";
const CONTEXT = { traceId: TRACE, spanId: SPAN };

it("a trace context is written as it is read", () => {
  expect(parseTraceparent(formatTraceparent(CONTEXT))).toEqual(CONTEXT);
});

describe("a traceparent is accepted", () => {
  it.each([
    ["recorded by the caller", `00-${TRACE}-${SPAN}-01`],
    ["not recorded by the caller", `00-${TRACE}-${SPAN}-00`],
    ["with unknown flags", `00-${TRACE}-${SPAN}-ff`],
    ["of a later version", `01-${TRACE}-${SPAN}-01`],
    ["of a later version with more fields", `cc-${TRACE}-${SPAN}-01-what-the-future-will-be-like`],
  ])("%s", (_name, text) => expect(parseTraceparent(text)).toEqual(CONTEXT));
});

describe("a traceparent is ignored", () => {
  it.each([
    ["nothing", undefined],
    ["empty", ""],
    ["the forbidden version", `ff-${TRACE}-${SPAN}-01`],
    ["more fields than its version has", `00-${TRACE}-${SPAN}-01-x`],
    ["a trace of zeros", `00-${"0".repeat(32)}-${SPAN}-01`],
    ["a span of zeros", `00-${TRACE}-${"0".repeat(16)}-01`],
    ["upper case", `00-${TRACE.toUpperCase()}-${SPAN}-01`],
    ["a short trace", `00-${TRACE.slice(1)}-${SPAN}-01`],
    ["blanks around it", ` 00-${TRACE}-${SPAN}-01`],
    ["two of them", `00-${TRACE}-${SPAN}-01, 00-${TRACE}-${SPAN}-01`],
    ["a line break in it", `00-${TRACE}-${SPAN}-01\n`],
    ["no hexadecimal digits", `00-${"g".repeat(32)}-${SPAN}-01`],
    ["without flags", `00-${TRACE}-${SPAN}`],
    ["a field that goes on for ever", `01-${TRACE}-${SPAN}-01-${"a".repeat(100_000)}`],
    ["markup", '00-"><script>alert(1)</script>-01'],
  ])("%s", (_name, text) => expect(parseTraceparent(text)).toBeNull());
});
