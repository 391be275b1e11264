/// Which Parley this is.
package enum GatewayVersion {
  package static let current = "0.1.0"
}
