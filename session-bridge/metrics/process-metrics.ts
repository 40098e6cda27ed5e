import type { Registry } from "./registry.ts";

const DELAY_CHECK_MS = 100;
const DELAY_SECONDS = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

export function addProcessMetrics(registry: Registry): void {
  const startedAt = Math.round(performance.timeOrigin) / 1000;
  const one = (value: number) => [{ value }];
  registry.observed("counter", "process_cpu_seconds_total", "CPU time used, user and system.", () => {
    const { user, system } = process.cpuUsage();
    return one((user + system) / 1e6);
  });
  registry.observed("gauge", "process_resident_memory_bytes", "Resident memory.", () => one(process.memoryUsage.rss()));
  registry.observed("gauge", "process_start_time_seconds", "When the process started, Unix seconds.", () => one(startedAt));
  registry.observed("gauge", "nodejs_heap_size_used_bytes", "Used heap.", () => one(process.memoryUsage().heapUsed));
  registry.observed("gauge", "nodejs_heap_size_total_bytes", "Reserved heap.", () => one(process.memoryUsage().heapTotal));
  registry.observed("gauge", "nodejs_external_memory_bytes", "Memory of buffers outside of the heap.", () =>
    one(process.memoryUsage().external),
  );
  measureDelay(registry);
}

/** A histogram, because the runtime's own quantiles would need a reset by each of several scrapers. */
function measureDelay(registry: Registry): void {
  const delays = registry.histogram("nodejs_eventloop_delay_seconds", "How late a timer ran, ten times a second.", DELAY_SECONDS);
  let dueAt = performance.now() + DELAY_CHECK_MS;
  setInterval(() => {
    const now = performance.now();
    delays.observe(Math.max(0, now - dueAt) / 1000);
    dueAt = now + DELAY_CHECK_MS;
  }, DELAY_CHECK_MS).unref();
}
