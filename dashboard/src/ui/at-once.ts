import { useEffect, useEffectEvent, useState } from "react";

/**
 * Shows the QR code without a click if nobody is pairing when the page opens. Later, for example after the last code has expired, the user
 * has to ask, so that a forgotten page does not pair forever.
 */
export function useAtOnce(isKnown: boolean, isWanted: boolean, connect: () => void) {
  const [phase, setPhase] = useState<"new" | "begun" | "over">("new");
  if (phase === "new" && isKnown) setPhase(isWanted ? "begun" : "over");
  const act = useEffectEvent(connect);
  useEffect(() => {
    if (phase === "begun") act();
  }, [phase]);
  return { isBeginning: phase === "begun", begin: () => setPhase("begun"), end: () => setPhase("over") };
}
