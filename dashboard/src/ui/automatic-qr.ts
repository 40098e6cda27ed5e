import { useEffect, useEffectEvent, useState } from "react";

/** Shows the QR code at once if nobody is pairing. Later, the user has to ask for it, so that a forgotten page does not stay in pairing. */
export function useAutomaticQr(isKnown: boolean, isWanted: boolean, connect: () => void) {
  const [phase, setPhase] = useState<"new" | "begun" | "over">("new");
  if (phase === "new" && isKnown) setPhase(isWanted ? "begun" : "over");
  const act = useEffectEvent(connect);
  useEffect(() => {
    if (phase === "begun") act();
  }, [phase]);
  return { isBeginning: phase === "begun", begin: () => setPhase("begun"), end: () => setPhase("over") };
}
