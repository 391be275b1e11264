import Testing

/// Waits, within a generous time, until something holds that no call announces.
func eventually(_ condition: () -> Bool) async -> Bool {
  let end = ContinuousClock.now.advanced(by: .seconds(60))
  while !condition() {
    guard ContinuousClock.now < end else { return false }
    try? await Task.sleep(for: .milliseconds(5))
  }
  return true
}
