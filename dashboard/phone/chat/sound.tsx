import { Pause, Play } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { duration } from "../network/names.ts";
import { usePhoneTexts } from "../texts/texts.ts";

export function Sound({ address, label, seconds, onPlay }: { address: string; label: string; seconds: number | null; onPlay: () => void }) {
  const w = usePhoneTexts();
  const audio = useRef<HTMLAudioElement>(null);
  const [isPlaying, setPlaying] = useState(false);
  const [at, setAt] = useState(0);
  const [length, setLength] = useState(seconds ?? 0);
  useEffect(() => () => audio.current?.pause(), []);
  const Icon = isPlaying ? Pause : Play;
  return (
    <div role="group" aria-label={label} className="flex min-w-56 items-center gap-2">
      <audio
        ref={audio}
        src={address}
        preload="metadata"
        onPlay={() => {
          setPlaying(true);
          onPlay();
        }}
        onPause={() => setPlaying(false)}
        onEnded={() => setAt(0)}
        onTimeUpdate={({ currentTarget }) => setAt(currentTarget.currentTime)}
        // Browser recordings do not contain their length.
        onDurationChange={({ currentTarget }) => Number.isFinite(currentTarget.duration) && setLength(currentTarget.duration)}
      />
      <button
        type="button"
        aria-label={isPlaying ? w.content.pause : w.content.play}
        onClick={() => (isPlaying ? audio.current?.pause() : void audio.current?.play().catch(() => setPlaying(false)))}
        className="inline-flex size-11 shrink-0 items-center justify-center rounded-full bg-accent text-on-accent hover:opacity-90"
      >
        <Icon aria-hidden="true" className="size-5" />
      </button>
      <input
        type="range"
        aria-label={w.content.position}
        aria-valuetext={`${duration(at)} / ${duration(length)}`}
        min={0}
        max={Math.max(length, at, 1)}
        step={0.1}
        value={at}
        onChange={({ target }) => {
          if (audio.current) audio.current.currentTime = Number(target.value);
        }}
        className="h-6 min-w-0 flex-1 accent-accent"
      />
      <span className="shrink-0 text-sm text-soft tabular-nums">{duration(isPlaying || at > 0 ? at : length)}</span>
    </div>
  );
}
