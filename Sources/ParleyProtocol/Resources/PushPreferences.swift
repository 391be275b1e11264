/// The messages of groups that are pushed to a user without a session.
package enum PushTriggerOption: String, Sendable, CaseIterable {
  case all
  case mentionOnly = "mention_only"
  case off
}

/// The same for one channel, where it replaces the user's own option.
package enum ChannelPushTriggerOption: String, Sendable, CaseIterable {
  /// The user's option holds.
  case `default`
  case all
  case mentionOnly = "mention_only"
  case off

  /// The option in force.
  ///
  /// - Parameter own: The user's option for all channels.
  package func resolved(_ own: PushTriggerOption) -> PushTriggerOption {
    switch self {
    case .default: own
    case .all: .all
    case .mentionOnly: .mentionOnly
    case .off: .off
    }
  }
}

/// How much of a message a push shows.
package enum PushTemplate: String, Sendable, CaseIterable {
  case `default`
  /// Not its text.
  case alternative
}

/// A part of the day in local time, which may extend over midnight.
package struct DayWindow: Sendable, Hashable {
  private static let lastMinute = 1_439

  /// Minutes after midnight, 0 to 1,439.
  package var start: Int
  /// The first minute after the window; equal to ``start`` for the whole day.
  package var end: Int

  package init(start: Int = 0, end: Int = 0) {
    self.start = start
    self.end = end
  }

  /// Whether a minute of the day on which the window begins is in it.
  package func contains(_ minute: Int) -> Bool {
    if start == end { return true }
    guard start < end else { return minute >= start }
    // A window until midnight is written as one until 23:59.
    return minute >= start && (minute < end || end == Self.lastMinute)
  }

  /// Whether a minute of the following day is in the window.
  package func reaches(_ minute: Int) -> Bool { end < start && minute < end }
}

/// A day of the week.
package enum Weekday: String, Sendable, CaseIterable {
  case sunday
  case monday
  case tuesday
  case wednesday
  case thursday
  case friday
  case saturday

  /// The day before.
  package var previous: Weekday {
    switch self {
    case .sunday: .saturday
    case .monday: .sunday
    case .tuesday: .monday
    case .wednesday: .tuesday
    case .thursday: .wednesday
    case .friday: .thursday
    case .saturday: .friday
    }
  }
}

/// The windows that begin on one day of the week: an element of `dnd_schedules`.
package struct DayDoNotDisturb: Sendable, Hashable {
  package var day: Weekday
  package var windows: [DayWindow]

  package init(day: Weekday, windows: [DayWindow]) {
    self.day = day
    self.windows = windows
  }
}

/// A user's choices about pushes.
package struct PushPreferences: Sendable, Hashable {
  package var trigger = PushTriggerOption.all
  /// Whether ``window`` is in force every day.
  package var doNotDisturb = false
  package var window = DayWindow()
  /// The windows by day of the week; when there are any, ``window`` is not in force.
  package var schedules: [DayDoNotDisturb] = []
  /// The name of a time zone, in which windows are.
  package var timeZone = "UTC"
  package var isSnoozeEnabled = false
  /// Unix milliseconds.
  package var snoozeStart: Int64 = 0
  /// Unix milliseconds.
  package var snoozeEnd: Int64 = 0
  /// The name of a sound of the app.
  package var sound = "default"
  package var template = PushTemplate.default

  package init() {}
}

extension PushPreferences {
  /// Writes the preferences in the form of the API contract.
  package func encode(into writer: inout JSONWriter) {
    writer.object {
      $0.member("push_trigger_option", trigger.rawValue)
      $0.member("do_not_disturb", doNotDisturb)
      window.encodeMembers(into: &$0)
      $0.member(
        "dnd_schedules", array: { writer in for day in schedules { day.encode(into: &writer) } })
      $0.member("timezone", timeZone)
      $0.member("snooze_enabled", isSnoozeEnabled)
      $0.member("snooze_start_ts", snoozeStart)
      $0.member("snooze_end_ts", snoozeEnd)
      $0.member("push_sound", sound)
      $0.member("template", template.rawValue)
    }
  }

  /// Parses preferences that were written in full.
  package init(json: JSONNode) throws(ResourceError) {
    let reader = try ResourceReader("push preferences", json)
    trigger = try reader.choice("push_trigger_option")
    doNotDisturb = try reader.claim("do_not_disturb")
    window = try DayWindow(reader)
    schedules = try DayDoNotDisturb.list(reader)
    timeZone = try reader.text("timezone")
    isSnoozeEnabled = try reader.claim("snooze_enabled")
    snoozeStart = try reader.integer("snooze_start_ts")
    snoozeEnd = try reader.integer("snooze_end_ts")
    sound = try reader.text("push_sound")
    template = try reader.choice("template")
  }
}

extension DayWindow {
  fileprivate func encodeMembers(into writer: inout JSONWriter) {
    writer.member("start_hour", start / 60)
    writer.member("start_min", start % 60)
    writer.member("end_hour", end / 60)
    writer.member("end_min", end % 60)
  }

  fileprivate init(_ reader: ResourceReader) throws(ResourceError) {
    start = try reader.minute("start_hour", "start_min")
    end = try reader.minute("end_hour", "end_min")
  }
}

extension DayDoNotDisturb {
  fileprivate func encode(into writer: inout JSONWriter) {
    writer.object {
      $0.member("day_of_week", day.rawValue)
      $0.member(
        "time_windows",
        array: { writer in
          for window in windows { writer.object { window.encodeMembers(into: &$0) } }
        })
    }
  }

  fileprivate static func list(_ reader: ResourceReader) throws(ResourceError) -> [Self] {
    guard let nodes = reader.node.present("dnd_schedules") else { return [] }
    var list: [Self] = []
    for node in nodes.elements {
      let day = try ResourceReader("schedule", node)
      var windows: [DayWindow] = []
      for window in try day.member("time_windows").elements {
        windows.append(try DayWindow(ResourceReader("window", window)))
      }
      list.append(Self(day: try day.choice("day_of_week"), windows: windows))
    }
    return list
  }
}

extension ResourceReader {
  /// The minute of the day that an hour and a minute name.
  fileprivate func minute(_ hour: String, _ minute: String) throws(ResourceError) -> Int {
    let (hours, minutes) = (try count(hour), try count(minute))
    guard hours < 24 else { throw wrong(hour) }
    guard minutes < 60 else { throw wrong(minute) }
    return hours * 60 + minutes
  }
}
