// The types of the dashboard's API. Only this file imports the worker's sources.
export type { Answer, JsonRoute, Request, Route } from "../../src/api/dashboard/contract/contract.ts";
