export const historyRoutes = []
