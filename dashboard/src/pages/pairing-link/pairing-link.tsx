export function PairingLink() {
  return <h1>PairingLink</h1>;
}
