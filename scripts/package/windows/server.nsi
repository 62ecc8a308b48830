; The school's server, installed for all users; the Task Scheduler starts it with the machine.
!include "common.nsh"
Name "Markbook Server"
InstallDir "$PROGRAMFILES64\Markbook Server"
RequestExecutionLevel admin

!insertmacro MUI_PAGE_INSTFILES
!insertmacro MUI_UNPAGE_CONFIRM
!insertmacro MUI_UNPAGE_INSTFILES
!insertmacro MUI_LANGUAGE "English"
!insertmacro MUI_LANGUAGE "French"
LangString CONSOLE ${LANG_ENGLISH} "Markbook Server console"
LangString CONSOLE ${LANG_FRENCH} "Console du serveur Markbook"
LangString STAYS ${LANG_ENGLISH} "The marks stay in $APPDATA\Markbook."
LangString STAYS ${LANG_FRENCH} "Les notes restent dans $APPDATA\Markbook."

!macro STOP
  nsExec::ExecToLog 'schtasks /End /TN Markbook'
  Sleep 2000
!macroend

Section
  SetShellVarContext all
  !insertmacro STOP
  RMDir /r "$INSTDIR\program"
  SetOutPath "$INSTDIR"
  File /r "${TREE}/*"
  WriteUninstaller "$INSTDIR\uninstall.exe"
  CreateDirectory "$APPDATA\Markbook\data"
  ; Only the server (LOCAL SERVICE), administrators and the system can read the marks.
  nsExec::ExecToLog 'icacls "$APPDATA\Markbook" /inheritance:r /grant "*S-1-5-19:(OI)(CI)M" "*S-1-5-32-544:(OI)(CI)F" "*S-1-5-18:(OI)(CI)F"'
  IfFileExists "$APPDATA\Markbook\markbook.conf" settled
    FileOpen $0 "$APPDATA\Markbook\markbook.conf" w
    FileWrite $0 "DATA_DIR=$APPDATA\Markbook\data$\r$\nLAN=true$\r$\nNODE_ENV=production$\r$\n"
    FileClose $0
  settled:
  nsExec::ExecToLog 'schtasks /Create /F /TN Markbook /XML "$INSTDIR\task.xml"'
  nsExec::ExecToLog 'netsh advfirewall firewall delete rule name=Markbook'
  nsExec::ExecToLog 'netsh advfirewall firewall add rule name=Markbook dir=in action=allow protocol=TCP localport=3000 profile=private,domain'
  nsExec::ExecToLog 'schtasks /Run /TN Markbook'
  CreateShortcut "$SMPROGRAMS\$(CONSOLE).lnk" "$SYSDIR\cmd.exe" '/k "cd /d "$INSTDIR" && markbook status"' "$INSTDIR\markbook.ico"
  WriteRegStr HKLM "${UNINSTALL}\MarkbookServer" "DisplayName" "Markbook Server"
  WriteRegStr HKLM "${UNINSTALL}\MarkbookServer" "DisplayVersion" "${VERSION}"
  WriteRegStr HKLM "${UNINSTALL}\MarkbookServer" "Publisher" "Markbook"
  WriteRegStr HKLM "${UNINSTALL}\MarkbookServer" "DisplayIcon" "$INSTDIR\markbook.ico"
  WriteRegStr HKLM "${UNINSTALL}\MarkbookServer" "UninstallString" '"$INSTDIR\uninstall.exe"'
  WriteRegStr HKLM "${UNINSTALL}\MarkbookServer" "QuietUninstallString" '"$INSTDIR\uninstall.exe" /S'
SectionEnd

Section "Uninstall"
  SetShellVarContext all
  !insertmacro STOP
  nsExec::ExecToLog 'schtasks /Delete /F /TN Markbook'
  nsExec::ExecToLog 'netsh advfirewall firewall delete rule name=Markbook'
  Delete "$SMPROGRAMS\$(CONSOLE).lnk"
  Delete "$INSTDIR\markbook.exe"
  Delete "$INSTDIR\markbook.ico"
  Delete "$INSTDIR\task.xml"
  Delete "$INSTDIR\uninstall.exe"
  RMDir /r "$INSTDIR\program"
  RMDir "$INSTDIR"
  DeleteRegKey HKLM "${UNINSTALL}\MarkbookServer"
  DetailPrint "$(STAYS)"
SectionEnd
