internal import ParleyProtocol

/// The choices of the current user about pushes, which hold on all its devices.
extension ParleyClient {
  /// Chooses the messages of groups that are pushed.
  ///
  /// A group may have an option of its own: ``GroupChannel/setMyPushTriggerOption(_:)``.
  public func setPushTriggerOption(_ option: PushTriggerOption) async throws(ParleyError) {
    _ = try await core.perform(PushPreferenceCalls.choose(option))
  }

  /// Fetches the messages of groups that are pushed.
  public func getPushTriggerOption() async throws(ParleyError) -> PushTriggerOption {
    try await core.perform(PushPreferenceCalls.trigger)
  }

  /// Chooses a part of each day in which nothing is pushed.
  ///
  /// It may extend over midnight. The same beginning and end stand for the whole day.
  ///
  /// - Parameters:
  ///   - enable: Whether the part of the day is in force; the hours are kept without it.
  ///   - startHour: 0 to 23.
  ///   - startMin: 0 to 59.
  ///   - endHour: 0 to 23.
  ///   - endMin: 0 to 59.
  ///   - timezone: The name of an IANA time zone, such as `Europe/Berlin`.
  /// - Throws: ``ParleyError/refused(code:message:field:)`` with 400113 for an hour or minute out of range,
  ///   and with 400111 for an unknown time zone.
  public func setDoNotDisturb(
    enable: Bool, startHour: Int, startMin: Int, endHour: Int, endMin: Int, timezone: String
  ) async throws(ParleyError) {
    _ = try await core.perform(
      PushPreferenceCalls.doNotDisturb(enable, startHour, startMin, endHour, endMin, timezone))
  }

  /// Fetches the part of each day in which nothing is pushed.
  public func getDoNotDisturb() async throws(ParleyError) -> DoNotDisturb {
    try await core.perform(PushPreferenceCalls.doNotDisturb)
  }

  /// Chooses a period in which nothing is pushed.
  ///
  /// - Parameters:
  ///   - enabled: Whether the period is in force.
  ///   - startTimestamp: The beginning in Unix milliseconds.
  ///   - endTimestamp: The end in Unix milliseconds.
  /// - Throws: ``ParleyError/refused(code:message:field:)`` for an end before the beginning.
  public func setSnoozePeriod(
    enabled: Bool, startTimestamp: Int64, endTimestamp: Int64
  ) async throws(ParleyError) {
    _ = try await core.perform(
      PushPreferenceCalls.snooze(enabled, startTimestamp, endTimestamp))
  }

  /// Fetches the period in which nothing is pushed.
  public func getSnoozePeriod() async throws(ParleyError) -> SnoozePeriod {
    try await core.perform(PushPreferenceCalls.snooze)
  }

  /// Chooses the sound of pushes on devices of Apple and Android.
  ///
  /// - Parameter sound: The name of a sound of the application; `default` for that of the system.
  public func setPushSound(_ sound: String) async throws(ParleyError) {
    _ = try await core.perform(PushPreferenceCalls.choose(sound: sound))
  }

  /// Fetches the sound of pushes.
  public func getPushSound() async throws(ParleyError) -> String {
    try await core.perform(PushPreferenceCalls.sound)
  }

  /// Chooses whether pushes show the text of messages.
  public func setPushTemplate(name: PushTemplate) async throws(ParleyError) {
    _ = try await core.perform(PushPreferenceCalls.choose(name))
  }

  /// Fetches whether pushes show the text of messages.
  public func getPushTemplate() async throws(ParleyError) -> PushTemplate {
    try await core.perform(PushPreferenceCalls.template)
  }
}

/// The calls with completion handlers in the style of other chat SDKs.
///
/// Each handler is called once, on the client's callback queue, with a value or an error.
extension ParleyClient {
  /// Chooses the messages that are pushed; see ``setPushTriggerOption(_:)``.
  public func setPushTriggerOption(
    _ option: PushTriggerOption, completionHandler: @escaping @Sendable (ParleyError?) -> Void
  ) {
    core.start(PushPreferenceCalls.choose(option).map { _ in }, handler: completionHandler)
  }

  /// Fetches the messages that are pushed; see ``getPushTriggerOption()``.
  public func getPushTriggerOption(
    completionHandler: @escaping @Sendable (PushTriggerOption?, ParleyError?) -> Void
  ) {
    core.start(PushPreferenceCalls.trigger, handler: completionHandler)
  }

  /// Chooses a part of each day without pushes; see
  /// ``setDoNotDisturb(enable:startHour:startMin:endHour:endMin:timezone:)``.
  public func setDoNotDisturb(
    enable: Bool, startHour: Int, startMin: Int, endHour: Int, endMin: Int, timezone: String,
    completionHandler: @escaping @Sendable (ParleyError?) -> Void
  ) {
    let call = PushPreferenceCalls.doNotDisturb(
      enable, startHour, startMin, endHour, endMin, timezone)
    core.start(call.map { _ in }, handler: completionHandler)
  }

  /// Fetches the part of each day without pushes; see ``getDoNotDisturb()``.
  public func getDoNotDisturb(
    completionHandler: @escaping @Sendable (DoNotDisturb?, ParleyError?) -> Void
  ) {
    core.start(PushPreferenceCalls.doNotDisturb, handler: completionHandler)
  }

  /// Chooses a period without pushes; see ``setSnoozePeriod(enabled:startTimestamp:endTimestamp:)``.
  public func setSnoozePeriod(
    enabled: Bool, startTimestamp: Int64, endTimestamp: Int64,
    completionHandler: @escaping @Sendable (ParleyError?) -> Void
  ) {
    let call = PushPreferenceCalls.snooze(enabled, startTimestamp, endTimestamp)
    core.start(call.map { _ in }, handler: completionHandler)
  }

  /// Fetches the period without pushes; see ``getSnoozePeriod()``.
  public func getSnoozePeriod(
    completionHandler: @escaping @Sendable (SnoozePeriod?, ParleyError?) -> Void
  ) {
    core.start(PushPreferenceCalls.snooze, handler: completionHandler)
  }

  /// Chooses the sound of pushes; see ``setPushSound(_:)``.
  public func setPushSound(
    _ sound: String, completionHandler: @escaping @Sendable (ParleyError?) -> Void
  ) {
    core.start(PushPreferenceCalls.choose(sound: sound).map { _ in }, handler: completionHandler)
  }

  /// Fetches the sound of pushes; see ``getPushSound()``.
  public func getPushSound(
    completionHandler: @escaping @Sendable (String?, ParleyError?) -> Void
  ) {
    core.start(PushPreferenceCalls.sound, handler: completionHandler)
  }

  /// Chooses whether pushes show the text of messages; see ``setPushTemplate(name:)``.
  public func setPushTemplate(
    name: PushTemplate, completionHandler: @escaping @Sendable (ParleyError?) -> Void
  ) {
    core.start(PushPreferenceCalls.choose(name).map { _ in }, handler: completionHandler)
  }

  /// Fetches whether pushes show the text of messages; see ``getPushTemplate()``.
  public func getPushTemplate(
    completionHandler: @escaping @Sendable (PushTemplate?, ParleyError?) -> Void
  ) {
    core.start(PushPreferenceCalls.template, handler: completionHandler)
  }
}
