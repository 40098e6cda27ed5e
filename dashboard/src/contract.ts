// The dashboard API's types. Only this file imports the worker's sources.
export type { Answer, JsonRoute, Request, Route } from "../../src/api/dashboard/contract/contract.ts";
