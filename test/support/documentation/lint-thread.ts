// Worker thread for the linter (`lint.ts`).
import { parentPort, workerData } from "node:worker_threads";
import { createConfig, lintFromString } from "@redocly/openapi-core";
import type { Linted } from "./lint.ts";

const { source, url } = workerData as Linted;
const config = await createConfig({ extends: ["recommended"] });
const problems = await lintFromString({ source, absoluteRef: url, config });
const errors = problems.filter(({ severity }) => severity === "error");
const texts = errors.map(({ ruleId, message }) => `${ruleId}: ${message}`);
parentPort?.postMessage(texts, []);
