// Plays a voice message or audio file, with a waveform and a choice of speeds.
import { Pause, Play } from "lucide-react";
import { useRef, useState } from "react";
import { duration, loudness } from "../../domain/audio.ts";
import { IconButton } from "../../ui/button.tsx";
import { CHATS } from "../../texts/catalogs.ts";
import { useTexts } from "../../texts/catalog.ts";
import { useLanguage, locale } from "../../texts/language.ts";

const SPEEDS = [1, 1.5, 2] as const;
const BARS = 32;
/** Larger files are not fetched a second time for their waveform. */
const MAX_DRAWN_BYTES = 2_000_000;
const RATE_HZ = 8_000;

type PlayerProps = { address: string; seconds: number | null; size: number | null; onError: () => void };

export function Player({ address, seconds, size, onError }: PlayerProps) {
  const texts = useTexts(CHATS);
  const language = useLanguage();
  const audio = useRef<HTMLAudioElement>(null);
  const [isPlaying, setPlaying] = useState(false);
  const [speed, setSpeed] = useState<(typeof SPEEDS)[number]>(1);
  const [at, setAt] = useState(0);
  const [length, setLength] = useState(seconds ?? 0);
  const [bars, setBars] = useState<readonly number[] | null>(null);
  const isDrawn = useRef(false);
  const draw = async () => {
    if (isDrawn.current || size === null || size > MAX_DRAWN_BYTES) return;
    isDrawn.current = true;
    const response = await fetch(address, { credentials: "same-origin" });
    const sound = await new OfflineAudioContext(1, 1, RATE_HZ).decodeAudioData(await response.arrayBuffer());
    setBars(loudness(sound.getChannelData(0), BARS));
  };
  const toggle = () => {
    const player = audio.current;
    if (player === null) return;
    if (isPlaying) return player.pause();
    // The audio element shows errors itself, and the waveform is optional.
    player.play().catch(() => undefined);
    draw().catch(() => undefined);
  };
  const next = () => {
    const chosen = SPEEDS[(SPEEDS.indexOf(speed) + 1) % SPEEDS.length] ?? 1;
    setSpeed(chosen);
    if (audio.current !== null) audio.current.playbackRate = chosen;
  };
  const times = `${speed.toLocaleString(locale(language))}×`;
  return (
    // Keeps the surrounding bubble from reacting to the tap.
    <div className="flex w-72 max-w-full items-center gap-1" onClick={(event) => event.stopPropagation()} role="presentation">
      <audio
        ref={audio}
        src={address}
        preload="none"
        onError={onError}
        onPlay={() => setPlaying(true)}
        onPause={() => setPlaying(false)}
        onEnded={() => setAt(0)}
        onTimeUpdate={({ currentTarget }) => setAt(currentTarget.currentTime)}
        onDurationChange={({ currentTarget }) => {
          if (Number.isFinite(currentTarget.duration)) setLength(currentTarget.duration);
        }}
        onLoadedMetadata={({ currentTarget }) => (currentTarget.playbackRate = speed)}
      />
      <IconButton label={isPlaying ? texts.pause : texts.play} icon={isPlaying ? Pause : Play} onClick={toggle} />
      <span className="relative grid min-w-0 grow items-center has-focus-visible:outline-2 has-focus-visible:outline-accent">
        <Shape bars={bars} played={length === 0 ? 0 : at / length} />
        <input
          type="range"
          aria-label={texts.position}
          aria-valuetext={duration(at)}
          min={0}
          max={Math.max(length, 1)}
          step={0.1}
          value={at}
          onChange={({ currentTarget }) => {
            setAt(Number(currentTarget.value));
            if (audio.current !== null) audio.current.currentTime = Number(currentTarget.value);
          }}
          className="absolute inset-0 w-full cursor-pointer opacity-0"
        />
      </span>
      <span className="shrink-0 text-sm text-soft">{duration(isPlaying || at > 0 ? at : length)}</span>
      <button
        type="button"
        aria-label={texts.speed(times)}
        onClick={next}
        className="min-h-11 min-w-11 shrink-0 rounded-md text-sm font-semibold hover:bg-tint pointer-fine:min-h-9"
      >
        {times}
      </button>
    </div>
  );
}

function Shape({ bars, played }: { bars: readonly number[] | null; played: number }) {
  const drawn = (bars ?? Array.from({ length: BARS }, () => 0.25)).map((loud, bar) => ({ x: bar * 4, height: Math.max(3, loud * 30) }));
  return (
    <svg aria-hidden viewBox={`0 0 ${BARS * 4} 32`} preserveAspectRatio="none" className="h-8 w-full">
      {drawn.map(({ x, height }) => (
        <rect
          key={x}
          x={x}
          y={(32 - height) / 2}
          width={2.4}
          height={height}
          rx={1.2}
          className={x < played * BARS * 4 ? "fill-accent" : "fill-edge"}
        />
      ))}
    </svg>
  );
}
