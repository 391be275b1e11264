/// Whether the store can write.
package enum StoreHealth: Sendable, Hashable {
  case healthy
  /// Every write is answered with `StoreError.unavailable` until a probe succeeds.
  case failing(reason: String)
}
