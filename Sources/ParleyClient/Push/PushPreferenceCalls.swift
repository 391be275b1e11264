internal import ParleyProtocol

/// The requests about the user's choices, each of which returns one of them.
enum PushPreferenceCalls {
  static var trigger: Call<PushTriggerOption> {
    PushCalls.prefer().map { PushTriggerOption($0.trigger) }
  }

  static var doNotDisturb: Call<DoNotDisturb> { PushCalls.prefer().map { DoNotDisturb($0) } }

  static var snooze: Call<SnoozePeriod> { PushCalls.prefer().map { SnoozePeriod($0) } }

  static var sound: Call<String> { PushCalls.prefer().map { $0.sound } }

  static var template: Call<PushTemplate> { PushCalls.prefer().map { PushTemplate($0.template) } }

  static func choose(_ option: PushTriggerOption) -> Call<PushTriggerOption> {
    PushCalls.prefer { $0.member("push_trigger_option", option.rawValue) }
      .map { PushTriggerOption($0.trigger) }
  }

  static func doNotDisturb(
    _ isEnabled: Bool, _ startHour: Int, _ startMin: Int, _ endHour: Int, _ endMin: Int,
    _ timezone: String
  ) -> Call<DoNotDisturb> {
    PushCalls.prefer {
      $0.member("do_not_disturb", isEnabled)
      $0.member("start_hour", startHour)
      $0.member("start_min", startMin)
      $0.member("end_hour", endHour)
      $0.member("end_min", endMin)
      $0.member("timezone", timezone)
    }.map { DoNotDisturb($0) }
  }

  static func snooze(_ isEnabled: Bool, _ start: Int64, _ end: Int64) -> Call<SnoozePeriod> {
    PushCalls.prefer {
      $0.member("snooze_enabled", isEnabled)
      $0.member("snooze_start_ts", start)
      $0.member("snooze_end_ts", end)
    }.map { SnoozePeriod($0) }
  }

  static func choose(sound: String) -> Call<String> {
    PushCalls.prefer { $0.member("push_sound", sound) }.map { $0.sound }
  }

  static func choose(_ template: PushTemplate) -> Call<PushTemplate> {
    PushCalls.prefer { $0.member("template", template.rawValue) }
      .map { PushTemplate($0.template) }
  }
}
