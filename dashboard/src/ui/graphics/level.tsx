/** Uses the attention colour when the used share reaches `attentionAt` (0 to 1). */
export function Level({ used, total, attentionAt = 1 }: { used: number; total: number; attentionAt?: number }) {
  const part = total === 0 ? 1 : Math.min(1, used / total);
  return (
    <svg
      aria-hidden
      viewBox="0 0 100 2"
      preserveAspectRatio="none"
      className={`h-2 w-full ${part >= attentionAt ? "text-attention" : "text-good"}`}
    >
      <rect width="100" height="2" className="fill-tint" />
      <rect width={part * 100} height="2" fill="currentColor" />
    </svg>
  );
}
