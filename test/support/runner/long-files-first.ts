import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Small files that take long. Without results of an earlier run, Vitest begins with the largest files, and a core would wait for these. */
const LONG = [
  "journey/dashboard/pages.test.ts",
  "journey/documentation/pages.test.ts",
  "journey/one-machine/power-loss.test.ts",
  "journey/robustness/crashes/sends.test.ts",
  "bridge/durability/history-files.test.ts",
  "bridge/durability/offline-end.test.ts",
  "bridge/network/kill.test.ts",
  "bridge/start-up/self-check.test.ts",
  "worker/security/keys.test.ts",
];

export default class LongFilesFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const groupOf = ({ project }: TestSpecification) => project.config.sequence.groupOrder;
    const isShort = ({ moduleId }: TestSpecification) => Number(!LONG.some((name) => moduleId.endsWith(`/test/${name}`)));
    return (await super.sort(files)).toSorted((one, other) => groupOf(one) - groupOf(other) || isShort(one) - isShort(other));
  }
}
