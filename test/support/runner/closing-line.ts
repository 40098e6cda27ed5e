import type { Reporter, TestCase, TestModule } from "vitest/node";

/** Ends the output with each test that passed only on retry, and a machine-readable line of counts. */
export default class ClosingLine implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const tests = modules.flatMap((module) => [...module.children.allTests()]);
    const retried = tests.filter((test) => (test.diagnostic()?.retryCount ?? 0) > 0);
    const count = (state: string) => tests.filter((test) => test.result().state === state).length;
    process.stdout.write(
      `\n${retried.map(line).join("")}${count("passed")} passed, ${count("failed")} failed, ${count("skipped")} skipped\n`,
    );
  }
}

function line(test: TestCase): string {
  const [error] = test.result().errors ?? [];
  return `retried (${test.result().state}): ${test.module.relativeModuleId} > ${test.fullName}: ${error?.message.split("\n")[0] ?? ""}\n`;
}
