export function duration(seconds: number): string {
  const whole = Math.round(seconds);
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")}`;
}

/** The loudness of each of `count` equal parts, from 0 to 1, relative to the loudest. */
export function loudness(samples: Float32Array, count: number): number[] {
  const size = Math.max(1, Math.floor(samples.length / count));
  const parts = Array.from({ length: count }, (_, part) => {
    let sum = 0;
    for (let at = part * size; at < (part + 1) * size && at < samples.length; at++) sum += Math.abs(samples[at] ?? 0);
    return sum / size;
  });
  const most = Math.max(...parts);
  return most === 0 ? parts : parts.map((part) => part / most);
}
