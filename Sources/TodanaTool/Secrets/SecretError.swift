/// A passphrase or key that cannot be had from where the command line says.
struct SecretError: Error, CustomStringConvertible {
  let description: String
}
