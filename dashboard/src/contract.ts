export type { ResponseBody, JsonRoute, Request, Route } from "../../src/api/dashboard/contract/contract.ts";
