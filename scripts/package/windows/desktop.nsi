; The teachers' program: installed for one user, without the rights of an administrator.
!include "common.nsh"
Name "Markbook"
InstallDir "$LOCALAPPDATA\Programs\Markbook"
RequestExecutionLevel user

!define MUI_FINISHPAGE_RUN "$INSTDIR\Markbook.exe"
!insertmacro MUI_PAGE_INSTFILES
!insertmacro MUI_PAGE_FINISH
!insertmacro MUI_UNPAGE_CONFIRM
!insertmacro MUI_UNPAGE_INSTFILES
!insertmacro MUI_LANGUAGE "English"
!insertmacro MUI_LANGUAGE "French"
LangString STAYS ${LANG_ENGLISH} "Your marks stay in $LOCALAPPDATA\Markbook."
LangString STAYS ${LANG_FRENCH} "Vos notes restent dans $LOCALAPPDATA\Markbook."

; Windows cannot overwrite a running program; it answers the requests in flight before it ends.
!macro CLOSE
  IfFileExists "$INSTDIR\Markbook.exe" 0 +3
    ExecWait '"$INSTDIR\Markbook.exe" --quit'
    Sleep 3000
!macroend

Section
  !insertmacro CLOSE
  RMDir /r "$INSTDIR\program"
  SetOutPath "$INSTDIR"
  File /r "${TREE}/*"
  WriteUninstaller "$INSTDIR\uninstall.exe"
  CreateShortcut "$SMPROGRAMS\Markbook.lnk" "$INSTDIR\Markbook.exe" "" "$INSTDIR\markbook.ico"
  WriteRegStr HKCU "${UNINSTALL}\Markbook" "DisplayName" "Markbook"
  WriteRegStr HKCU "${UNINSTALL}\Markbook" "DisplayVersion" "${VERSION}"
  WriteRegStr HKCU "${UNINSTALL}\Markbook" "Publisher" "Markbook"
  WriteRegStr HKCU "${UNINSTALL}\Markbook" "DisplayIcon" "$INSTDIR\markbook.ico"
  WriteRegStr HKCU "${UNINSTALL}\Markbook" "UninstallString" '"$INSTDIR\uninstall.exe"'
  WriteRegStr HKCU "${UNINSTALL}\Markbook" "QuietUninstallString" '"$INSTDIR\uninstall.exe" /S'
SectionEnd

Section "Uninstall"
  !insertmacro CLOSE
  Delete "$SMPROGRAMS\Markbook.lnk"
  Delete "$INSTDIR\Markbook.exe"
  Delete "$INSTDIR\markbook.ico"
  Delete "$INSTDIR\uninstall.exe"
  RMDir /r "$INSTDIR\program"
  RMDir "$INSTDIR"
  DeleteRegKey HKCU "${UNINSTALL}\Markbook"
  DetailPrint "$(STAYS)"
SectionEnd
