package import ParleyProtocol

/// A time at which a user wants no pushes.
extension PushPreferences {
  /// Whether the user has snoozed pushes.
  ///
  /// - Parameter now: Unix milliseconds.
  package func isSnoozed(at now: Int64) -> Bool {
    isSnoozeEnabled && now >= snoozeStart && now < snoozeEnd
  }

  /// Whether a window is in force.
  ///
  /// A window over midnight belongs to the day on which it begins. Windows follow the clocks on the wall: a
  /// night in which the clocks change is an hour shorter or longer.
  package func isUndisturbed(at time: LocalTime) -> Bool {
    guard schedules.isEmpty else {
      return windows(of: time.day).contains { $0.contains(time.minute) }
        || windows(of: time.day.previous).contains { $0.reaches(time.minute) }
    }
    return doNotDisturb && (window.contains(time.minute) || window.reaches(time.minute))
  }

  /// Whether the user wants no pushes at some time, so that the time zone matters.
  package var hasWindows: Bool { doNotDisturb || !schedules.isEmpty }

  private func windows(of day: Weekday) -> [DayWindow] {
    schedules.first { $0.day == day }?.windows ?? []
  }
}
