// The dashboard API's types.
export type { Answer, JsonRoute, Request, Route } from "../../src/api/dashboard/contract/contract.ts";
